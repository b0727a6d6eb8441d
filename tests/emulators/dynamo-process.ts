import type { AddressInfo } from "node:net"
import dynalite from "dynalite"

// The emulator runs in its own process because an aborted request crashes it.
const server = dynalite({ createTableMs: 0, deleteTableMs: 0 })
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port))
process.on("disconnect", () => process.exit())
