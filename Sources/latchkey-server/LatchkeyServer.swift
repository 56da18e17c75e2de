@main struct LatchkeyServer { static func main() {} }
