import type { TeamMessages } from "@switchyard/core/work/teams/request-schema"

type Message = TeamMessages["messages"][number]

/** The messages that are shown: of one member and of one kind; empty for all. */
export interface MessageFilter {
  member: string
  kind: Message["kind"] | ""
}

/** The messages of this kind that a member wrote, or that are for it, be it with everybody. */
export function filtered(messages: readonly Message[], { member, kind }: MessageFilter): Message[] {
  return messages.filter((message) => {
    const isMembers = member === "" || message.from === member || message.to === member || message.to === "all"
    return isMembers && (kind === "" || message.kind === kind)
  })
}
