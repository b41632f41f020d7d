//! The compiled half of the Python package: numbers, faults and signals across the border. No mechanics and no names of its
//! own: what a result is called is said by the code that writes run folders. The half that users see is `python/lissome`.

mod arrays;
mod batch;
mod equilibrium;
mod faults;
mod measured;
mod motion;
mod robot;
mod run;
mod scene;
mod scene_methods;
mod sweep;
mod watch;

use pyo3::prelude::*;

/// The module `lissome._lissome`.
#[pymodule]
fn _lissome(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<scene::Scene>()?;
    module.add_class::<equilibrium::Equilibrium>()?;
    module.add_class::<run::Run>()?;
    module.add_class::<robot::Robot>()?;
    module.add_class::<motion::Motion>()?;
    module.add_class::<sweep::Sweep>()?;
    module.add_class::<sweep::Folder>()?;
    module.add_function(wrap_pyfunction!(sweep::open_sweep, module)?)?;
    module.add_function(wrap_pyfunction!(scene::load, module)?)?;
    module.add_function(wrap_pyfunction!(scene::parse, module)?)?;
    module.add_function(wrap_pyfunction!(scene::templates, module)?)?;
    module.add_function(wrap_pyfunction!(equilibrium::sample_fields, module)?)?;
    module.add_function(wrap_pyfunction!(batch::solve_batch, module)?)?;
    module.add_function(wrap_pyfunction!(batch::run_batch, module)?)?;
    module.add_function(wrap_pyfunction!(run::check_run, module)?)?;
    module.add_class::<measured::Fit>()?;
    module.add_class::<measured::Observation>()?;
    module.add_function(wrap_pyfunction!(measured::fit, module)?)?;
    module.add_function(wrap_pyfunction!(measured::observe, module)?)?;
    Ok(())
}
