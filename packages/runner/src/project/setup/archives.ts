/** Run whose owner and repository the archives belong to. */
export interface ArchiveRun {
  runId: string
  incarnation: number
  report: (error: unknown) => void
}

/** Archives of tools and dependencies that outlive this machine. They are only for the same owner and repository. */
export interface Archives {
  /** Identifies the machine's system, because tools and compiled dependencies only work on the system they were made on. */
  system: string
  /** Downloads an archive to a new file. Returns false if it isn't stored, or can't be downloaded. */
  fetch(name: string, file: string, options: { signal: AbortSignal }): Promise<boolean>
  /** Uploads an archive. Only reports failures, because the next set-up can make the archive again. */
  keep(name: string, file: string): Promise<void>
}
