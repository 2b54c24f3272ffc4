// What a server needs with one import.
@_exported public import BackgroundTasks
@_exported public import JetsamPolicy
@_exported public import MemoryPressure
@_exported public import PurgeableCaches
