const NOBODY = 65534;

/**
 * Runs `work` as a user whom permissions can stop. The administrator reads everything, so that tests
 * about unreadable files would show nothing; in a container tests often run as one.
 */
export async function asOrdinaryUser<T>(work: () => Promise<T>): Promise<T> {
  const isAdministrator = process.geteuid?.() === 0;
  if (isAdministrator) process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    if (isAdministrator) process.seteuid?.(0);
  }
}
