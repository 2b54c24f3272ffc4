/// A name that says nothing but that two are the same.
///
/// FNV-1a in 64 bits (Fowler, Noll, Vo). It hides a name from a reader, not from somebody who tries every name there is.
enum NameHash {
    static func of(_ name: String) -> String {
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "#" + hash.hexadecimal
    }
}
