import { createApp } from "./app.js"

const server = createApp()

server.listen(Number(process.env.PORT ?? 8080), "localhost", () => {
  const { port } = server.address()
  console.log(`Listening on http://localhost:${port}`)
})
