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

    /// Returns `true` if the transformation changes nothing.
    pub(crate) fn is_identity(self) -> bool {
        self == Self::IDENTITY
    }

    /// Transforms a direction, to which the translation doesn't apply.
    fn vector(self, x: f32, y: f32) -> [f32; 2] {
        let Self(rows) = self;
        [rows[0] * x + rows[2] * y, rows[1] * x + rows[3] * y]
    }
}

/// An axis-parallel rectangle around points.
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

    /// Rectangle with these opposite corners.
    pub(crate) fn of(corners: [[f32; 2]; 2]) -> Self {
        let mut bounds = Self::EMPTY;
        for corner in corners {
            bounds.include(corner);
        }
        bounds
    }

    /// Adds a margin on all sides.
    pub(crate) fn outset(self, margin: f32) -> Self {
        let Self { least, most } = self;
        Self {
            least: least.map(|edge| edge - margin),
            most: most.map(|edge| edge + margin),
        }
    }

    /// Returns `true` if the rectangles share more than an edge.
    pub(crate) fn meets(self, other: Self) -> bool {
        let along = |axis: usize| {
            self.least[axis] < other.most[axis] && other.least[axis] < self.most[axis]
        };
        along(0) && along(1)
    }

    /// Returns `true` if the other rectangle is within this one.
    pub(crate) fn holds(self, other: Self) -> bool {
        let along = |axis: usize| {
            self.least[axis] <= other.least[axis] && other.most[axis] <= self.most[axis]
        };
        along(0) && along(1)
    }

    /// Returns `true` if each edge is within `distance` of the other's.
    pub(crate) fn is_near(self, other: Self, distance: f32) -> bool {
        let near = |(one, other): (f32, f32)| (one - other).abs() <= distance;
        self.least.into_iter().zip(other.least).all(near)
            && self.most.into_iter().zip(other.most).all(near)
    }

    /// Returns `true` if the point is a corner of the rectangle.
    pub(crate) fn has_corner(self, [x, y]: [f32; 2]) -> bool {
        let is_edge = |place: f32, axis: usize| {
            (place - self.least[axis]).abs() < 0.01 || (place - self.most[axis]).abs() < 0.01
        };
        is_edge(x, 0) && is_edge(y, 1)
    }
}
