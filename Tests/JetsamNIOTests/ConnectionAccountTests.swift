#if NIO || Hummingbird
    import Testing

    @testable import JetsamNIO

    struct ConnectionAccountTests {
        @Test("What was received counts until something that was written after it has gone out")
        func answered() {
            var account = ConnectionAccount()
            account.receive(100)
            let mark = account.received
            account.beginWrite(10)
            account.receive(50)
            #expect(account.held == 150 && account.unwritten == 10)
            #expect(account.endWrite(10, mark: mark) == 100)
            #expect(account.held == 50 && account.unwritten == 0 && account.isBusy)
        }

        @Test("An application that tells of its requests is believed")
        func requests() {
            var account = ConnectionAccount()
            account.receive(100)
            account.beginRequest()
            account.beginRequest()
            account.beginWrite(10)
            #expect(account.endWrite(10, mark: 100) == 0, "an interim answer ends no request")
            #expect(account.endRequest() == 0)
            #expect(account.isBusy)
            #expect(account.endRequest() == 100)
            #expect(!account.isBusy && account.tellsRequests)
            #expect(account.endRequest() == 0 && account.requests == 0, "one end too many")
        }

        @Test("A client that takes a large write little by little is seen to take some")
        func takesSlowly() {
            var account = ConnectionAccount()
            account.beginWrite(1000)
            #expect(account.hasTakenSome(left: 900) == true)
            #expect(account.hasTakenSome(left: 900) == false)
            account.beginWrite(500)
            #expect(account.hasTakenSome(left: 1400) == false, "that the application writes more is no reading")
            #expect(account.hasTakenSome(left: 1399) == true)
            _ = account.endWrite(1000, mark: 0)
            #expect(account.hasTakenSome(left: 500) == false)
        }

        @Test("What the application has consumed counts no more, and nonsense is held to what there is")
        func consumed() {
            var account = ConnectionAccount()
            account.receive(100)
            #expect(account.consume(30) == 30)
            #expect(account.consume(-5) == 0)
            #expect(account.consume(.max) == 70)
            #expect(account.held == 0)
            // An answer to bytes that were consumed already gives nothing twice.
            account.beginWrite(1)
            #expect(account.endWrite(1, mark: 50) == 0)
            #expect(account.held == 0)
        }
    }
#endif
