// An agent that speaks Claude Code's protocol and asks its model one question. It silently retries as long as the
// model's API refuses.
import { writeFileSync } from "node:fs"
import { createInterface } from "node:readline"

const say = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`)
const { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key = "", HOME } = process.env
say({ type: "system", subtype: "init", session_id: "0b0e7a52-0000-4000-8000-000000000000", model: "m" })
writeFileSync(`${HOME}/environment.json`, JSON.stringify(process.env))

async function ask(): Promise<string> {
  for (;;) {
    const answer = await fetch(`${url}/v1/messages`, { method: "POST", headers: { "x-api-key": key }, body: "{}" })
    const body = await answer.json()
    if (answer.ok) return body.content[0].text
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  if (message.type === "control_request") {
    say({ type: "control_response", response: { subtype: "success", request_id: message.request_id } })
    if (message.request.subtype === "interrupt") process.exit(0)
  }
  if (message.type !== "user") continue
  // Not awaited, so that the loop continues to read input.
  void ask().then((text) => {
    say({ type: "assistant", message: { id: "m1", content: [{ type: "text", text }] } })
    say({ type: "result", subtype: "success", is_error: false, result: text })
  })
}
