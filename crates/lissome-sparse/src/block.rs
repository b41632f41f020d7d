//! Kernels on 6×6 blocks stored by columns: `block[column][row]`.
//!
//! Written so that the six rows of a column fill whole vector registers; no kernel needs a transposed copy.

/// A 6×6 block by columns, the memory of `nalgebra::Matrix6`.
pub(crate) type Block = [[f64; 6]; 6];

/// The zero block.
pub(crate) const ZERO: Block = [[0.0; 6]; 6];

/// Copies a block and adds zero times its entries to `zeros`: these stay zero unless an entry is not finite.
#[inline]
pub(crate) fn copy_and_check(target: &mut Block, source: &Block, zeros: &mut [f64; 6]) {
    for c in 0..6 {
        for r in 0..6 {
            zeros[r] += 0.0 * source[c][r];
            target[c][r] = source[c][r];
        }
    }
}

/// Whether every entry is a number.
pub(crate) fn is_finite(a: &Block) -> bool {
    a.as_flattened().iter().all(|value| value.is_finite())
}

/// aᵀ.
#[inline]
pub(crate) fn transpose(a: &Block) -> Block {
    std::array::from_fn(|c| std::array::from_fn(|r| a[r][c]))
}

/// c ← c + a.
#[inline]
pub(crate) fn add_block(c: &mut Block, a: &Block) {
    for k in 0..6 {
        for r in 0..6 {
            c[k][r] += a[k][r];
        }
    }
}

/// The first `rows` rows and `columns` columns, zeros elsewhere.
#[inline]
pub(crate) fn cropped(a: &Block, rows: usize, columns: usize) -> Block {
    std::array::from_fn(|c| std::array::from_fn(|r| if c < columns && r < rows { a[c][r] } else { 0.0 }))
}

/// Groups of no more unknowns are few: the rest of their blocks is padding that nothing need be done with.
pub(crate) const FEW: usize = 3;

/// c ← c − l xᵀ over the first `inner` columns of l and x; beyond `columns` the columns of c get nothing.
#[inline]
pub(crate) fn subtract_product_transposed(c: &mut Block, l: &Block, x: &Block, inner: usize, columns: usize) {
    match inner <= FEW {
        true => subtract_transposed_over::<FEW>(c, l, x, columns),
        false => subtract_transposed_over::<6>(c, l, x, columns),
    }
}

#[inline(always)]
fn subtract_transposed_over<const INNER: usize>(c: &mut Block, l: &Block, x: &Block, columns: usize) {
    for half in 0..if columns <= FEW { 1 } else { 2 } {
        let p = FEW * half;
        let (mut c0, mut c1, mut c2) = (c[p], c[p + 1], c[p + 2]);
        for k in 0..INNER {
            let (x0, x1, x2) = (x[k][p], x[k][p + 1], x[k][p + 2]);
            for r in 0..6 {
                c0[r] -= l[k][r] * x0;
                c1[r] -= l[k][r] * x1;
                c2[r] -= l[k][r] * x2;
            }
        }
        (c[p], c[p + 1], c[p + 2]) = (c0, c1, c2);
    }
}

/// The lower triangle of c ← c − l xᵀ over the first `inner` columns of l and x, where that is symmetric; the rest of c is left
/// undefined. Beyond `columns` the columns of c get nothing.
#[inline]
pub(crate) fn subtract_symmetric_product(c: &mut Block, l: &Block, x: &Block, inner: usize, columns: usize) {
    match inner <= FEW {
        true => subtract_symmetric_over::<FEW>(c, l, x, columns),
        false => subtract_symmetric_over::<6>(c, l, x, columns),
    }
}

#[inline(always)]
fn subtract_symmetric_over<const INNER: usize>(c: &mut Block, l: &Block, x: &Block, columns: usize) {
    let (mut c0, mut c1, mut c2) = (c[0], c[1], c[2]);
    for k in 0..INNER {
        let (x0, x1, x2) = (x[k][0], x[k][1], x[k][2]);
        for r in 0..6 {
            c0[r] -= l[k][r] * x0;
            c1[r] -= l[k][r] * x1;
            c2[r] -= l[k][r] * x2;
        }
    }
    (c[0], c[1], c[2]) = (c0, c1, c2);
    if columns <= FEW {
        return;
    }
    // From row 2 on: pairs of rows fill a register.
    let below = |column: &[f64; 6]| [column[2], column[3], column[4], column[5]];
    let (mut c3, mut c4, mut c5) = (below(&c[3]), below(&c[4]), below(&c[5]));
    for k in 0..INNER {
        let (l, x3, x4, x5) = (below(&l[k]), x[k][3], x[k][4], x[k][5]);
        for r in 0..4 {
            c3[r] -= l[r] * x3;
            c4[r] -= l[r] * x4;
            c5[r] -= l[r] * x5;
        }
    }
    for (column, own) in c[3..].iter_mut().zip([c3, c4, c5]) {
        column[2..].copy_from_slice(&own);
    }
}

/// c ← c − l u over the first `inner` columns of l and rows of u; beyond `columns` the columns of u are empty.
#[inline]
pub(crate) fn subtract_block_product(c: &mut Block, l: &Block, u: &Block, inner: usize, columns: usize) {
    match inner <= FEW {
        true => subtract_product_over::<FEW>(c, l, u, columns),
        false => subtract_product_over::<6>(c, l, u, columns),
    }
}

#[inline(always)]
fn subtract_product_over<const INNER: usize>(c: &mut Block, l: &Block, u: &Block, columns: usize) {
    for half in 0..if columns <= FEW { 1 } else { 2 } {
        let p = FEW * half;
        let (mut c0, mut c1, mut c2) = (c[p], c[p + 1], c[p + 2]);
        for k in 0..INNER {
            let (u0, u1, u2) = (u[p][k], u[p + 1][k], u[p + 2][k]);
            for r in 0..6 {
                c0[r] -= l[k][r] * u0;
                c1[r] -= l[k][r] * u1;
                c2[r] -= l[k][r] * u2;
            }
        }
        (c[p], c[p + 1], c[p + 2]) = (c0, c1, c2);
    }
}

/// y ← y + a x.
#[inline]
pub(crate) fn add_product(y: &mut [f64; 6], a: &Block, x: &[f64; 6]) {
    for c in 0..6 {
        for r in 0..6 {
            y[r] += a[c][r] * x[c];
        }
    }
}

/// y ← y − a x.
#[inline]
pub(crate) fn subtract_product(y: &mut [f64; 6], a: &Block, x: &[f64; 6]) {
    for c in 0..6 {
        for r in 0..6 {
            y[r] -= a[c][r] * x[c];
        }
    }
}

/// y ← y − a x over the first `inner` columns of a.
#[inline]
pub(crate) fn subtract_part(y: &mut [f64; 6], a: &Block, x: &[f64; 6], inner: usize) {
    if inner > FEW {
        return subtract_product(y, a, x);
    }
    for c in 0..FEW {
        for r in 0..6 {
            y[r] -= a[c][r] * x[c];
        }
    }
}

/// y ← y + aᵀ x.
#[inline]
pub(crate) fn add_transposed_product(y: &mut [f64; 6], a: &Block, x: &[f64; 6]) {
    for c in 0..6 {
        y[c] += dot(&a[c], x);
    }
}

/// y ← y − aᵀ x.
#[inline]
pub(crate) fn subtract_transposed_product(y: &mut [f64; 6], a: &Block, x: &[f64; 6]) {
    for c in 0..6 {
        y[c] -= dot(&a[c], x);
    }
}

/// y ← y + |a| x, x ≥ 0.
#[inline]
pub(crate) fn add_absolute_product(y: &mut [f64; 6], a: &Block, x: &[f64; 6]) {
    for c in 0..6 {
        for r in 0..6 {
            y[r] += a[c][r].abs() * x[c];
        }
    }
}

/// y ← y + |a|ᵀ x, x ≥ 0.
#[inline]
pub(crate) fn add_absolute_transposed_product(y: &mut [f64; 6], a: &Block, x: &[f64; 6]) {
    for c in 0..6 {
        y[c] += dot(&a[c].map(f64::abs), x);
    }
}

#[inline]
fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    (a[0] * b[0] + a[2] * b[2] + a[4] * b[4]) + (a[1] * b[1] + a[3] * b[3] + a[5] * b[5])
}

/// The six unknowns of block `i` of a vector.
#[inline]
pub(crate) fn six(x: &[f64], i: usize) -> &[f64; 6] {
    let (chunk, _) = x[6 * i..].split_first_chunk().expect("a vector holds six numbers per block");
    chunk
}

/// The six unknowns of block `i` of a vector, to write.
#[inline]
pub(crate) fn six_mut(x: &mut [f64], i: usize) -> &mut [f64; 6] {
    let (chunk, _) = x[6 * i..].split_first_chunk_mut().expect("a vector holds six numbers per block");
    chunk
}
