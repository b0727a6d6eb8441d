export interface Answer {
  text: string
  /** Tool calls: one in a turn of a coder, several in a team. */
  calls?: { name: string; args: Record<string, unknown> }[]
}
