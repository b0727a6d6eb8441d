/** Creates a mutex that runs one task at a time, in the order of the calls. A failed task doesn't stop the next. */
export function createMutex(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task, task)
    last = result
    return result
  }
}
