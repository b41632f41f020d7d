"""Results by the names of the scene file and of the run folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
else:
    # Importing numpy.typing costs as much as the rest of the package.
    Array = np.ndarray

_AXES = ("x", "y", "z")
_QUATERNION = ("w", "x", "y", "z")


def as_arrays(named: Iterable[tuple[str, list[int], bytearray]]) -> dict[str, Array]:
    """Arrays out of what the compiled half hands over; the memory is shared, not copied."""
    return {name: np.frombuffer(data, dtype=np.float64).reshape(shape) for name, shape, data in named}


def missing(name: str, known: Iterable[str], what: str) -> str:
    """A sentence on a name that is not there."""
    import difflib

    known = list(known)
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean `{near[0]}`?" if near else "there are: " + (", ".join(known[:40]) or "none")
    return f"{what} has no `{name}`; {hint}"


def lookup(table: Mapping[str, Array], name: str) -> Array | None:
    """The array of that name, or its components side by side."""
    found = table.get(name)
    if found is not None:
        return found
    for axes in (_QUATERNION, _AXES):
        parts = [table.get(f"{name}.{axis}") for axis in axes]
        whole = [part for part in parts if part is not None]
        if len(whole) == len(axes):
            return np.stack(whole, axis=-1)
    return None


class Part:
    """A part of the robot: its quantities are attributes, under the names that the run folder has for them."""

    def __init__(self, table: Mapping[str, Array], prefixes: tuple[str, ...]) -> None:
        self._table = table
        self._prefixes = prefixes

    def _below(self) -> list[str]:
        names: dict[str, None] = {}
        for prefix in self._prefixes:
            for name in self._table:
                if name.startswith(f"{prefix}."):
                    names[name[len(prefix) + 1 :]] = None
        return list(names)

    def __getitem__(self, name: str) -> Array:
        for prefix in self._prefixes:
            found = lookup(self._table, f"{prefix}.{name}")
            if found is not None:
                return found
        raise KeyError(missing(name, self._below(), f"`{self._prefixes[0]}`"))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            pass
        inner = Part(self._table, tuple(f"{prefix}.{name}" for prefix in self._prefixes))
        if inner._below():
            return inner
        raise AttributeError(missing(name, self._below(), f"`{self._prefixes[0]}`"))

    def __dir__(self) -> list[str]:
        return sorted({name.split(".")[0] for name in self._below()})

    def __repr__(self) -> str:
        return f"<{self._prefixes[0]}: {', '.join(self.__dir__())}>"


class Place(Part):
    """The pose of a tip or a frame, and what acts there."""

    if TYPE_CHECKING:
        position: Array
        quat_wxyz: Array
        moment: Array
        force: Array


class RodPart(Part):
    """A rod. ``position`` (n, 3) m, ``quat_wxyz`` (n, 4), ``curvature``, ``stretch``, ``moment`` and ``force`` (n, 3) at arc lengths
    ``s`` (n,) m; ``control_poses``; ``tip`` and ``base``."""

    if TYPE_CHECKING:
        s: Array
        position: Array
        quat_wxyz: Array
        curvature: Array
        stretch: Array
        moment: Array
        force: Array
        control_poses: Place
        discretisation_error: Array
        base: Place

    @property
    def tip(self) -> Place:
        """The pose of the tip, and what the rod exerts there on whatever holds it."""
        return Place(_WithTip(self._table, self._prefixes), tuple(f"{prefix}.tip" for prefix in self._prefixes))


class _WithTip(Mapping[str, Array]):
    """The table of a rod; where it has no tip of its own, as in a motion, the last place of the rod is it."""

    def __init__(self, table: Mapping[str, Array], prefixes: tuple[str, ...]) -> None:
        self._table = table
        self._prefixes = prefixes

    def __getitem__(self, name: str) -> Array:
        if name in self._table:
            return self._table[name]
        for prefix in self._prefixes:
            own, _, field = name.partition(".tip.")
            along = self._table.get(f"{prefix}.{field}")
            if own == prefix and along is not None and f"{prefix}.tip.position.x" not in self._table:
                return along[..., -1, :]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)


class BodyPart(Part):
    """A body: ``position`` (3,) m and ``quat_wxyz`` (4,)."""

    if TYPE_CHECKING:
        position: Array
        quat_wxyz: Array


class JointPart(Part):
    """A joint: its coordinates by their names, such as ``angle``, rad or m, and the pose of the ``frame`` after it."""

    if TYPE_CHECKING:
        frame: Place


class LinePart(Part):
    """A cable, tendon or spring: ``tension`` N, ``length`` m, and what else the run folder has of it."""

    if TYPE_CHECKING:
        tension: Array
        length: Array
        pulled: Array
        points: Array
        pull: Array
        moment: Array
        force: Array


class ContactPart(Part):
    """A pair that may touch: least ``gap`` m, ``force`` N on the part."""

    if TYPE_CHECKING:
        gap: Array
        touching: Array
        force: Array
        centre: Array


P = TypeVar("P", bound=Part, covariant=True)


class Family(Mapping[str, P], Generic[P]):
    """The parts of one kind by their names."""

    def __init__(self, kind: type[P], table: Mapping[str, Array], family: str, names: list[str]) -> None:
        self._kind = kind
        self._table = table
        self._family = family
        self._names = names

    def __getitem__(self, name: str) -> P:
        if name not in self._names:
            raise KeyError(missing(name, self._names, f"the scene's `{self._family}`"))
        # Parts share one space of names; a pair of them is told by both.
        own = f"contact.{name}" if self._family == "contact" else name
        return self._kind(self._table, (own,))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<{self._family}: {', '.join(self._names)}>"


class Results(Mapping[str, Array]):
    """Numbers by their names in the run folder: ``results["arm.tip.position"]``, or ``results.rod["arm"].tip.position``."""

    def __init__(self, table: dict[str, Array] | None, names: dict[str, list[str]]) -> None:
        self._filled = table
        self._names = names

    def _fill(self) -> dict[str, Array]:
        """The arrays, if they are made when they are first asked for."""
        return {}

    @property
    def _table(self) -> dict[str, Array]:
        if self._filled is None:
            self._filled = self._fill()
        return self._filled

    def _family(self, kind: type[P], family: str) -> Family[P]:
        return Family(kind, self._table, family, self._names.get(family, []))

    @property
    def rod(self) -> Family[RodPart]:
        """The rods by their names."""
        return self._family(RodPart, "rod")

    @property
    def body(self) -> Family[BodyPart]:
        """The bodies by their names."""
        return self._family(BodyPart, "body")

    @property
    def joint(self) -> Family[JointPart]:
        """The joints by their names."""
        return self._family(JointPart, "joint")

    @property
    def cable(self) -> Family[LinePart]:
        """The cables by their names."""
        return self._family(LinePart, "cable")

    @property
    def tendon(self) -> Family[LinePart]:
        """The tendons by their names."""
        return self._family(LinePart, "tendon")

    @property
    def spring(self) -> Family[LinePart]:
        """The springs by their names."""
        return self._family(LinePart, "spring")

    @property
    def contact(self) -> Family[ContactPart]:
        """Pairs that may touch, by ``PART.OBSTACLE``."""
        return self._family(ContactPart, "contact")

    def __getitem__(self, name: str) -> Array:
        found = lookup(self._table, name)
        if found is None:
            raise KeyError(missing(name, self._table, "the result"))
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and lookup(self._table, name) is not None
