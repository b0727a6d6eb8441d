export interface Answer {
  text: string
  /** Tool calls. A coder makes one per turn, a team member several. */
  calls?: { name: string; args: Record<string, unknown> }[]
}
