import JetsamSimulation

Simulation.main()
