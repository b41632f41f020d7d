"""A use of the package that strict type checking accepts."""

import numpy as np

import lissome as ls

arm = ls.demo("rod").replace({"rod.arm.length": "900 mm"})
eq: ls.Equilibrium = arm.solve({"tip.scale": 0.5})
height: float = float(eq.rod["arm"].tip.position[2]) + eq.energy.total
path = arm.trace({"tip.scale": np.linspace(0, 1, 5)})
reached = path.rod["arm"].position[path.converged]
many = arm.solve_batch({"tip.scale": np.linspace(0, 1, 5)})
print(height, reached.shape, many.converged.sum(), eq.jacobian("arm.tip", "tip.scale"))
try:
    arm.solve({"tip.scale": 1e9})
except ls.NotConverged as error:
    print(error.code, error.load_factor)
