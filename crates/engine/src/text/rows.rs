//! What the rows of a table are worth, by how the values of its columns are distributed.
