/** Tracks which of the attached clients sets the terminal's size. */
export function createSizeOwner() {
  let owner: string | undefined
  let isOwnerHere = false
  return {
    /**
     * Returns true if the client's size is used. The first client sets the size until it leaves or another client takes
     * over.
     */
    requestSize(client: string, take: boolean): boolean {
      if (take || owner === undefined || !isOwnerHere) owner = client
      if (owner === client) isOwnerHere = true
      return owner === client
    },
    attach(client: string): void {
      if (owner === client) isOwnerHere = true
    },
    /**
     * Records that a client has left. It keeps control of the size until another client requests a size, because a
     * viewer that reconnects is usually back soon.
     */
    release(client: string): void {
      if (owner === client) isOwnerHere = false
    },
  }
}
