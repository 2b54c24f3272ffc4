import Foundation
import JetsamSimulation

exit(SimulationCommand.run())
