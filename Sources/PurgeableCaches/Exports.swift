// The level, the clock and scenes' identifiers, which public interfaces name; everything else in that module is for this package alone.
@_exported public import JetsamSystem
