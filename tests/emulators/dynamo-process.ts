import type { Server } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"

// A process of its own, because the emulator dies of a request that is aborted. It has no types.
type Dynalite = (options: { createTableMs: number; deleteTableMs: number }) => Server
const dynalite = createRequire(import.meta.url)("dynalite") as Dynalite

const server = dynalite({ createTableMs: 0, deleteTableMs: 0 })
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port))
process.on("disconnect", () => process.exit())
