//! lissome-sparse.
