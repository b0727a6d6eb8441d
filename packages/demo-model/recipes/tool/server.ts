import type { AddressInfo } from "node:net"
import { createApp } from "./app.ts"

const server = createApp()

server.listen(Number(process.env.PORT ?? 8080), "localhost", () => {
  const { port } = server.address() as AddressInfo
  console.log(`Listening on http://localhost:${port}`)
})
