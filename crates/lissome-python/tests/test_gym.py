"""The environments: accepted by the checker of gymnasium, the same to the bit from the same seed, and worth training on."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, check_reset_seed_determinism

import lissome.gym as tasks

NAMES = list(tasks.TASKS)


@pytest.mark.parametrize("name", NAMES)
def test_the_checker_has_nothing_to_say(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(name)
        check_env(env.unwrapped)
        check_reset_seed_determinism(env.unwrapped)


def episode(env, seed, actions):
    rows = [env.reset(seed=seed)[0]]
    rewards = []
    for action in actions:
        observation, reward, terminated, truncated, _ = env.step(action)
        rows.append(observation)
        rewards.append(reward)
        if terminated or truncated:
            break
    return np.array(rows), np.array(rewards)


@pytest.mark.parametrize("name", NAMES)
def test_the_seed_decides_whatever_came_before(name):
    task = tasks.TASKS[name]
    actions = np.random.default_rng(3).uniform(-1, 1, (6, len(task.drives))).astype(np.float32)
    fresh, used = task(), task()
    episode(used, 9, actions[::-1])
    for seed in (1, 2):
        for one, other in zip(episode(fresh, seed, actions), episode(used, seed, actions), strict=True):
            assert one.tobytes() == other.tobytes()
    assert episode(fresh, 1, actions)[0].tobytes() != episode(fresh, 2, actions)[0].tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_many_at_once_do_what_one_does(name):
    task, count = tasks.TASKS[name], 3
    actions = np.random.default_rng(4).uniform(-1, 1, (5, count, len(task.drives))).astype(np.float32)
    many = gymnasium.make_vec(name, num_envs=count, vectorization_mode="vector_entry_point")
    assert many.observation_space.shape == (count, *task().observation_space.shape)
    rows = [many.reset(seed=5)[0]] + [many.step(action)[0] for action in actions]
    many.close()
    for index in range(count):
        alone, _ = episode(task(), 5 + index, actions[:, index])
        assert np.array([row[index] for row in rows])[: len(alone)].tobytes() == alone.tobytes()


def test_ended_episodes_begin_again_with_the_next_step():
    many = tasks.RobotVectorEnv(tasks.CatheterInsert, 2)
    many.envs[0].steps = 2
    many.reset(seed=1)
    push = np.zeros((2, 3), np.float32)
    assert not many.step(push)[3].any()
    assert many.step(push)[3].tolist() == [True, False]
    _, rewards, terminated, truncated, _ = many.step(push)
    assert (rewards[0], terminated[0], truncated[0]) == (0.0, False, False)
    assert many.envs[0]._count == 0 and many.envs[1]._count == 3
    many.close()


def test_without_an_equilibrium_the_episode_ends():
    env = tasks.TendonReach()
    with pytest.raises(RuntimeError):
        env.step(np.zeros(6, np.float32))
    env.reset(seed=1)
    env.place = lambda values: False
    _, reward, terminated, truncated, info = env.step(np.ones(6, np.float32))
    assert (reward, terminated, truncated, info["lost"]) == (-1.0, True, False, True)


def test_pictures_are_drawn():
    env = gymnasium.make("lissome/TubesFollow-v0", render_mode="rgb_array")
    env.reset(seed=1)
    picture = env.render()
    assert picture.shape == (128, 256, 3) and (picture != 255).any()
    with pytest.raises(ValueError, match="render_mode"):
        tasks.TubesFollow(render_mode="human")


def returns(many, policy, seed, steps):
    """Sum of rewards of each environment; the policy turns the difference to the target into actions."""
    observation, _ = many.reset(seed=seed)
    total, alive = np.zeros(many.num_envs), np.ones(many.num_envs, bool)
    for _ in range(steps):
        actions = np.clip(20.0 * observation[:, -3:] @ policy, -1, 1).astype(np.float32)
        observation, rewards, terminated, truncated, _ = many.step(actions)
        total += rewards * alive
        alive &= ~(terminated | truncated)
    return total.mean()


def test_a_plain_random_search_improves_the_return():
    many = tasks.RobotVectorEnv(tasks.TendonReach, 4)
    random, steps = np.random.default_rng(0), 8
    best = np.zeros((3, 6))
    found = returns(many, best, 100, steps)
    for _ in range(25):
        candidate = best + random.normal(0.0, 0.5, best.shape)
        reward = returns(many, candidate, 100, steps)
        if reward > found:
            best, found = candidate, reward
    # Judged by targets that the search has not seen: doing nothing makes no way at all.
    idle, trained = returns(many, 0.0 * best, 200, steps), returns(many, best, 200, steps)
    many.close()
    assert idle == 0.0
    assert trained > 0.1, "on average the tip comes nearer by a tenth of the arm's length"
