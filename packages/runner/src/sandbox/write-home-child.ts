import { json } from "node:stream/consumers"
import { writeHome } from "./agent-home.ts"

const { home, files } = (await json(process.stdin)) as { home: string; files: { path: string; content: string }[] }
await writeHome(
  home,
  files.map(({ path, content }) => ({ path, content: Buffer.from(content, "base64") })),
)
