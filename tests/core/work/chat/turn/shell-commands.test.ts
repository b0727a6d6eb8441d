import { shellCommandsIn } from "@switchyard/core/work/chat/turn/shell-commands"
import { describe, expect, it } from "vitest"

describe("the commands that an answer suggests", () => {
  it("are the lines of a shell's fence, each once and without a prompt", () => {
    const answer = "Run this:\n\n```bash\n# first\nnpm ci\n$ npm test\nnpm ci\n```\n\nThen:\n$ npm start\n"
    expect(shellCommandsIn(answer)).toEqual(["npm ci", "npm test", "npm start"])
  })

  it("are not the lines of other fences, nor quotes that are remarks", () => {
    const answer = "```ts\n$ notACommand()\n```\n> Note that it is slow.\n> make all\n> This is prose.\n"
    expect(shellCommandsIn(answer)).toEqual(["make all"])
  })

  it("go on after a fence of another kind, and end with their own", () => {
    const answer = "```sh\nls\n```\nprose\n```json\n{}\n```\nmore prose\n```shell\npwd\n"
    expect(shellCommandsIn(answer)).toEqual(["ls", "pwd"])
  })
})
