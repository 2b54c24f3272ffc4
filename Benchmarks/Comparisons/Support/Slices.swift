/// A measurement in slices of time, and of these a quiet one.
///
/// Two hardware threads of one core share what executes and its caches. On a machine that is a part of another one the second of them
/// is somebody else's, who comes and goes within milliseconds, and makes a loop slower by half, one more than another. Nobody makes it
/// faster: what a tenth of the slices stay below comes near to what the code takes. Where somebody works all through it, it does not: for
/// that there are rounds, in processes of their own.
package struct Slices {
    /// - Parameter threads: How many it takes. One is measured in shorter slices than several, which have to begin and to end together
    ///   and of which more than there are processors have to take turns. It takes half a second or more in both cases.
    package init(threads: Int) {
        (count, nanoseconds) = threads == 1 ? (250, 2_000_000) : (12, 60_000_000)
    }

    private let count: Int
    /// How long a slice is, or about.
    package let nanoseconds: Int64

    /// What a tenth of the figures that `measure` gives, of as many slices, stay below.
    package func quiet(_ measure: (_ slice: Int) -> Double) -> Double {
        (0..<count).map(measure).sorted()[count / 10]
    }
}
