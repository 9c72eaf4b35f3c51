//! Sets what the linker needs for an addon of Node.js.

fn main() {
    napi_build::setup();
}
