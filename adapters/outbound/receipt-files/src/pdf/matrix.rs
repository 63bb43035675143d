//! Transformation matrices (ISO 32000-1, 8.3.3).

/// A matrix `[a b c d e f]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Matrix(pub(crate) [f32; 6]);

impl Matrix {
    pub(crate) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub(crate) fn translation(x: f32, y: f32) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// Combines two transformations: this one, then `next`.
    pub(crate) fn then(self, next: Self) -> Self {
        let Self(rows) = self;
        let [x_x, x_y] = next.vector(rows[0], rows[1]);
        let [y_x, y_y] = next.vector(rows[2], rows[3]);
        let [x, y] = next.point(rows[4], rows[5]);
        Self([x_x, x_y, y_x, y_y, x, y])
    }

    /// Transforms a point.
    pub(crate) fn point(self, x: f32, y: f32) -> [f32; 2] {
        let [along, up] = self.vector(x, y);
        [along + self.0[4], up + self.0[5]]
    }

    /// Transforms a direction, to which the translation doesn't apply.
    pub(crate) fn vector(self, x: f32, y: f32) -> [f32; 2] {
        let Self(rows) = self;
        [rows[0] * x + rows[2] * y, rows[1] * x + rows[3] * y]
    }
}
