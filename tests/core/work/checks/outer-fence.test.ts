import { withoutOuterFence } from "@switchyard/core/work/checks/text/outer-fence"
import { describe, expect, it } from "vitest"

const README = "# A\n\n```sh\nnpm start\n```\n\nText.\n"

describe("the fence around a file", () => {
  it.each<[string, string, string]>([
    ["README.md", `\`\`\`markdown\n${README}\`\`\`\n`, README],
    ["README.md", `\n\`\`\`md\n${README.replaceAll("sh", "")}\`\`\``, README.replaceAll("sh", "")],
    ["docs/a.mdx", `~~~~mdx\n${README}~~~~\n`, README],
    ["a.ts", "```ts\nconst a = `\n```\n`\n```\n", "const a = `\n```\n`\n"],
    ["a.ts", "```typescript title=a.ts\nconst a = 1\n```", "const a = 1\n"],
    ["Dockerfile", "```\nFROM node\n```\n", "FROM node\n"],
  ])("is removed from %s: %j", (path, text, bare) => {
    expect(withoutOuterFence(path, text)).toBe(bare)
  })

  it.each<[string, string]>([
    ["README.md", README],
    ["README.md", "```sh\nnpm start\n```\n\n# A\n\n```sh\nnpm test\n```\n"],
    ["README.md", "```markdown\n# An example\n```\n\nAs above.\n"],
    ["samples.md", "```markdown\n# One\n```\n\nText.\n\n```markdown\n# Two\n```\n"],
    ["notes.txt", "```\na\n```\n"],
    ["a.ts", "const a = `\n```\n`\n"],
    ["a.ts", "```ts\nconst a = 1\n"],
    ["a.ts", "```\n```\n"],
  ])("is left in %s: %j", (path, text) => {
    expect(withoutOuterFence(path, text)).toBe(text)
  })
})
