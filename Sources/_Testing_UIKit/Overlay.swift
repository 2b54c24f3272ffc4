// Swift Testing's toolchain says that a file which imports Testing and UIKit needs the module of this name beside them, and has none on
// Linux. It attaches pictures to tests there; here is nothing to attach.
