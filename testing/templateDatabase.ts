/** The database that migrated ones are cloned from. */
export const template = 'vigil_test_template';
