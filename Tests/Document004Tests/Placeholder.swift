import Security
import Testing
