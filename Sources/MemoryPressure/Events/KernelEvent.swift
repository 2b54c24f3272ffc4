/// One wake-up from the kernel.
package struct KernelEvent: Sendable, Hashable {
    /// The source of the wake-up.
    package var source: MemorySignalSource
    /// The level that it stands for: a PSI trigger's grade; `.normal` where the event only says that there is something to look
    /// at.
    package var grade: PressureLevel
    /// The file that it came from, inside the kernel root.
    package var path: String

    package init(source: MemorySignalSource, grade: PressureLevel, path: String) {
        self.source = source
        self.grade = grade
        self.path = path
    }
}
