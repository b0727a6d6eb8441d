import type { ContentBlock } from "@agentclientprotocol/sdk"
import { fenced } from "./updates.ts"

/** Returns the text of a task, based on the text and the mentions that a user has entered in an editor. */
export function promptText(blocks: ContentBlock[]): string {
  return blocks.map(textOf).join("")
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text
    case "resource_link":
      return `[${block.name}](${block.uri})`
    case "resource":
      if (!("text" in block.resource)) return `[${block.resource.uri}]`
      return `\n\n${block.resource.uri}:\n${fenced(block.resource.text, "")}\n\n`
    default:
      // This agent doesn't announce support for these types, so editors shouldn't send them.
      return `[${block.type}]`
  }
}
