//! A selector as steps: what [`super::parse`] makes of its text and [`super::eval`] takes.

/// A selector that was read.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) root: Query,
    /// The names that occur in it; [`Selector::Name`] counts in these.
    pub(super) names: Vec<String>,
    /// How many queries it holds.
    pub(super) queries: usize,
}

/// A path from the root (`$`) or the current node (`@`).
#[derive(Debug)]
pub(super) struct Query {
    /// Its number among the queries of the selector.
    pub(super) id: usize,
    pub(super) absolute: bool,
    pub(super) segments: Vec<Segment>,
}

impl Query {
    /// Whether it can give one node at most.
    pub(super) fn is_singular(&self) -> bool {
        self.segments.iter().all(|s| !s.descendant && matches!(s.selectors[..], [Selector::Name(_) | Selector::Index(_)]))
    }
}

#[derive(Debug)]
pub(super) struct Segment {
    /// `..`: for the node and all below it.
    pub(super) descendant: bool,
    pub(super) selectors: Vec<Selector>,
}

#[derive(Debug)]
pub(super) enum Selector {
    Name(usize),
    Wildcard,
    Index(i64),
    Slice { start: Option<i64>, end: Option<i64>, step: i64 },
    Filter(Test),
}

/// What is true or false of a node.
#[derive(Debug)]
pub(super) enum Test {
    Any(Vec<Test>),
    All(Vec<Test>),
    Not(Box<Test>),
    Exists(Query),
    Compare(Operand, Comparison, Operand),
    /// `match` (the whole string) or `search`.
    Matches {
        whole: bool,
        text: Operand,
        pattern: Operand,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// What gives a value, or nothing.
#[derive(Debug)]
pub(super) enum Operand {
    Null,
    Bool(bool),
    Number(f64),
    String(String),
    /// A query that gives one node at most, or the argument of [`Operand::Value`].
    Query(Query),
    Length(Box<Operand>),
    Count(Query),
    Value(Query),
}
