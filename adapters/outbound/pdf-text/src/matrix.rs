//! Transformation matrices (ISO 32000-1, 8.3.3).

/// A matrix `[a b c d e f]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Matrix(pub(crate) [f32; 6]);

impl Matrix {
    pub(crate) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub(crate) fn translation(x: f32, y: f32) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// This transformation, then `next`.
    pub(crate) fn then(self, next: Self) -> Self {
        let Self(rows) = self;
        let [x_x, x_y] = next.vector(rows[0], rows[1]);
        let [y_x, y_y] = next.vector(rows[2], rows[3]);
        let [x, y] = next.point(rows[4], rows[5]);
        Self([x_x, x_y, y_x, y_y, x, y])
    }

    /// A point after the transformation.
    pub(crate) fn point(self, x: f32, y: f32) -> [f32; 2] {
        let [along, up] = self.vector(x, y);
        [along + self.0[4], up + self.0[5]]
    }

    /// A direction after the transformation, which no translation changes.
    fn vector(self, x: f32, y: f32) -> [f32; 2] {
        let Self(rows) = self;
        [rows[0] * x + rows[2] * y, rows[1] * x + rows[3] * y]
    }
}

/// A box around points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    least: [f32; 2],
    most: [f32; 2],
}

impl Bounds {
    pub(crate) const EMPTY: Self = Self {
        least: [f32::MAX; 2],
        most: [f32::MIN; 2],
    };

    pub(crate) fn include(&mut self, [x, y]: [f32; 2]) {
        self.least = [self.least[0].min(x), self.least[1].min(y)];
        self.most = [self.most[0].max(x), self.most[1].max(y)];
    }

    pub(crate) fn contains(&self, [x, y]: [f32; 2]) -> bool {
        (self.least[0]..=self.most[0]).contains(&x) && (self.least[1]..=self.most[1]).contains(&y)
    }
}
