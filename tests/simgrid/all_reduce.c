/* One MPI all-reduce under SMPI: prints the simulated seconds from the first entry to the last exit. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, count = atoi(argv[1]) / sizeof(float);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  float *in = calloc(count, sizeof(float)), *out = calloc(count, sizeof(float));
  double entered = MPI_Wtime();
  MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  double mine[2] = {-entered, MPI_Wtime()}, all[2];
  MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("seconds %.12f\n", all[0] + all[1]);
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
