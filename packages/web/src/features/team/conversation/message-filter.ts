import type { TeamMessages } from "@switchyard/core/work/teams/request-schema"

type Message = TeamMessages["messages"][number]

/** Which messages are shown: from or to one member, and of one kind; empty for all. */
export interface MessageFilter {
  member: string
  kind: Message["kind"] | ""
}

/** Returns the messages of this kind that a member wrote or received, including those to everyone. */
export function filtered(messages: readonly Message[], { member, kind }: MessageFilter): Message[] {
  return messages.filter((message) => {
    const isMembers = member === "" || message.from === member || message.to === member || message.to === "all"
    return isMembers && (kind === "" || message.kind === kind)
  })
}
