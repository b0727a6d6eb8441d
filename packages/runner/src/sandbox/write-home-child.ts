import { json } from "node:stream/consumers"
import { makeHome } from "./agent-home.ts"

const { home, files } = (await json(process.stdin)) as { home: string; files: { path: string; content: string }[] }
await makeHome(
  home,
  files.map(({ path, content }) => ({ path, content: Buffer.from(content, "base64") })),
)
