print("doctor")
