/* One MPI all-reduce under SMPI: prints the simulated seconds from the first entry to the last exit. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, count = atoi(argv[1]) / sizeof(float);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  float *in = SMPI_SHARED_MALLOC(count * sizeof(float)); /* one buffer for all: only the time matters here */
  float *out = SMPI_SHARED_MALLOC(count * sizeof(float));
  double entered = MPI_Wtime();
  MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  double mine[2] = {-entered, MPI_Wtime()}, all[2];
  MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("seconds %.12f\n", all[0] + all[1]);
  SMPI_SHARED_FREE(in);
  SMPI_SHARED_FREE(out);
  MPI_Finalize();
  return 0;
}
