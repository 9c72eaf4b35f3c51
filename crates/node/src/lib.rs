//! The Node.js addon.
