import Testing

@testable import Jetsam

struct BackgroundTaskModelTests {
    @Test(
        "Whatever is done to it in whatever order, a registry says and calls what a plain list would",
        .timeLimit(.minutes(10)), arguments: seedBatches)
    func agrees(seeds: ClosedRange<UInt64>) async {
        for seed in seeds {
            let modelled = ModelledRegistry(seed: seed)
            for _ in 0..<250 { await modelled.step() }
            await modelled.finish()
        }
    }
}
