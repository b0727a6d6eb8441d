/** The demo model's answer to a request. */
export interface Answer {
  text: string
  /** The tools that it calls: of a coder's turn one, of a team's member perhaps several. */
  calls?: { name: string; args: Record<string, unknown> }[]
}
