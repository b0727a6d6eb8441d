/**
 * Returns options for every JVM that a command starts. They are necessary because Java ignores `HOME` and proxy
 * variables, and reserves a lot of memory.
 */
export function javaOptions(home: string, proxy: string | undefined): string {
  const { hostname = "", port = "" } = (proxy && URL.parse(proxy)) || {}
  const ways = ["http", "https"].flatMap((scheme) => [
    `-D${scheme}.proxyHost=${hostname}`,
    `-D${scheme}.proxyPort=${port}`,
  ])
  const memory = ["-Xmx1g", "-XX:CompressedClassSpaceSize=256m", "-XX:ReservedCodeCacheSize=128m"]
  const names = ["-Daether.connector.http.useSystemProperties=true", `-Duser.home=${home}`]
  return [...memory, ...names, ...(proxy === undefined ? [] : ways)].join(" ")
}
