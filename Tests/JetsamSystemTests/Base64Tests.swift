import JetsamSystem
import Testing

struct Base64Tests {
    @Test(
        arguments: [
            ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"), ("c29tZSAyMDAwMDAgMjAwMDAwMAA=", "some 200000 2000000\u{0}"), ("+/+/", nil),
        ] as [(String, String?)])
    func `base64 is decoded`(text: String, plain: String?) {
        #expect(Base64.decode(text) == (plain.map { Array($0.utf8) } ?? [0xFB, 0xFF, 0xBF]))
    }

    @Test(arguments: ["Z", "Zg", "Zg=", "Zg===", "====", "=Zg=", "Zh==", "Zm9=", "Zm9v\n", "Zm 9", "Zm-_", "Zm9vé=="])
    func `what is not base64 is refused`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(
        arguments: [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg")] as [(String, String)])
    func `the text for file names has no padding`(plain: String, text: String) {
        #expect(Base64.encodeForFileNames(Array(plain.utf8)) == text)
        #expect(Base64.encodeForFileNames([0xFB, 0xFF, 0xBF]) == "-_-_")
    }
}
